//! `rsqrt`, the reciprocal of the square root.

family! { Rsqrt "9.7.3.16 and 9.7.3.17" { Approximate }
    Approximate: "rsqrt.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "rsqrt::approx_{ftz_|}f32(f)";
    Approximate: "rsqrt.approx{.ftz|}.f64 d, d"
        isa "7.0" on "sm_80" = "rsqrt::approx_{ftz_|}f64(e)";
}
