//! `sqrt`, the square root.

family! { Sqrt "9.7.3.15" { Approximate }
    Approximate: "sqrt.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "sqrt::approx_{ftz_|}f32(f)";
}
