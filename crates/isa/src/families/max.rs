//! `max`, the greater half.

family! { Max "9.7.4.8" { Max }
    Max: "max{.NaN|}.{T:f16 h, h, h|f16x2 r, r, r|bf16 h, h, h|bf16x2 r, r, r}"
        isa "7.0" on "sm_80" = "max::{nan_|}{T:f16(h, i)|f16x2(n, m)|bf16(h, i)|bf16x2(n, m)}";
}
