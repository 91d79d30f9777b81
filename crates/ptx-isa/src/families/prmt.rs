//! `prmt`, a word of any four of eight bytes.

family! { Prmt "9.7.9.7" { Permute }
    Permute: "prmt.b32 r, r, r, r"
        isa "7.0" on "sm_80" = "prmt::b32(n, m, b)";
}
