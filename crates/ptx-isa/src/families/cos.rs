//! `cos`, the cosine.

family! { Cos "9.7.3.19" { Approximate }
    Approximate: "cos.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "cos::approx_{ftz_|}f32(f)";
}
