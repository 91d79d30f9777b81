//! `setmaxnreg`, transfers registers between warpgroups.

family! { Setmaxnreg "9.7.19.5" { Inc, Dec }
    Inc: "setmaxnreg.inc.sync.aligned.u32 160"
        isa "8.0" on "sm_90a" = "setmaxnreg::inc_sync_aligned::<160>()";
    Dec: "setmaxnreg.dec.sync.aligned.u32 40"
        isa "8.0" on "sm_90a" = "setmaxnreg::dec_sync_aligned::<40>()";
}
