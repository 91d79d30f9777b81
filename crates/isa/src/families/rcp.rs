//! `rcp`, the reciprocal.

family! { Rcp "9.7.3.13" { Approximate }
    Approximate: "rcp.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "rcp::approx_{ftz_|}f32(f)";
}
