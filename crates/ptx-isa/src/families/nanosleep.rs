//! `nanosleep`, a pause.

family! { Nanosleep "9.7.19.2" { Sleep }
    Sleep: "nanosleep.u32 r"
        isa "7.0" on "sm_80" = "nanosleep::u32(n)";
}
