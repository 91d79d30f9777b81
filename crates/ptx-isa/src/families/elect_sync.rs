//! `elect.sync`, one lane of a warp.

family! { ElectSync "9.7.13.14" { Elect }
    Elect: "elect.sync {r|_}|p, r"
        isa "8.0" on "sm_90" = "elect_sync::elect{|=}(n)";
}
