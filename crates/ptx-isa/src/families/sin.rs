//! `sin`, the sine.

family! { Sin "9.7.3.18" { Approximate }
    Approximate: "sin.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "sin::approx_{ftz_|}f32(f)";
}
