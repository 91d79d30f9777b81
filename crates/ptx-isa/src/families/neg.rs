//! `neg`, negatives of halves.

family! { Neg "9.7.4.5" { Sign }
    Sign: "neg{|.ftz}.{T:f16 h, h|f16x2 r, r}"
        isa "7.0" on "sm_80" = "neg::{|ftz_}{T:f16(h)|f16x2(n)}";
    Sign: "neg.{T:bf16 h, h|bf16x2 r, r}"
        isa "7.0" on "sm_80" = "neg::{T:bf16(h)|bf16x2(n)}";
}
