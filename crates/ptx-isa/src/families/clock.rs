//! `%clock64` and `%globaltimer`, special registers that change.

family! { Clock "10" { Clock64, Globaltimer }
    Clock64 | Globaltimer: "mov.u64 d, %{clock64|globaltimer}"
        isa "7.0" on "sm_80" = "clock::{clock64|globaltimer}()";
}
