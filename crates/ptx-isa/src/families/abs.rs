//! `abs`, absolute values of halves.

family! { Abs "9.7.4.6" { Sign }
    Sign: "abs{|.ftz}.{T:f16 h, h|f16x2 r, r}"
        isa "7.0" on "sm_80" = "abs::{|ftz_}{T:f16(h)|f16x2(n)}";
    Sign: "abs.{T:bf16 h, h|bf16x2 r, r}"
        isa "7.0" on "sm_80" = "abs::{T:bf16(h)|bf16x2(n)}";
}
