//! `rcp`, the reciprocal.

family! { Rcp "9.7.3.13 and 9.7.3.14" { Approximate }
    Approximate: "rcp.approx{.ftz|}.f32 r, r"
        isa "7.0" on "sm_80" = "rcp::approx_{ftz_|}f32(f)";
    Approximate: "rcp.approx.ftz.f64 d, d"
        isa "7.0" on "sm_80" = "rcp::approx_ftz_f64(e)";
}
