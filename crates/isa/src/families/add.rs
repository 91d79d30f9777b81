//! `add`, sums of halves.

family! { Add "9.7.4.1" { Round }
    Round: "add.rn.{T:f16 h, h, h|f16x2 r, r, r}"
        isa "7.0" on "sm_80" = "add::rn_{T:f16(h, i)|f16x2(n, m)}";
    Round: "add.rn.{T:bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.8" on "sm_90" = "add::rn_{T:bf16(h, i)|bf16x2(n, m)}";
}
