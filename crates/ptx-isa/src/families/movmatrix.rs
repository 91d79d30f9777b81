//! `movmatrix`, a matrix that a warp transposes in its registers.

family! { Movmatrix "9.7.14.5.17" { Transpose }
    Transpose: "movmatrix.sync.aligned.m8n8.trans.b16 r, r"
        isa "7.8" on "sm_80" = "movmatrix::sync_aligned_m8n8_trans(n)";
}
