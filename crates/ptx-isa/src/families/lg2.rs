//! `lg2`, the logarithm to the base 2.

family! { Lg2 "9.7.3.20" { Approximate }
    Approximate: "lg2.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "lg2::approx_{ftz_|}f32(f)";
}
