//! `wgmma`, products of matrices of a warpgroup.

family! { Wgmma "9.7.14.7" { Fence, CommitGroup, WaitGroup, Dense, Sparse }
    Fence: "wgmma.fence.sync.aligned"
        isa "8.0" on "sm_90a_alone";
    CommitGroup: "wgmma.commit_group.sync.aligned"
        isa "8.0" on "sm_90a_alone";
    WaitGroup: "wgmma.wait_group.sync.aligned 1"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N8k16.f32.{T:f16|bf16}.{T:f16|bf16} $F32, {A:d|{r,r,r,r}}, d, p, 1, 1, {A:0, 0|0}"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N8k16.f16.f16.f16 $F16, {A:d|{r,r,r,r}}, d, p, 1, 1, {A:0, 0|0}"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N8k8.f32.tf32.tf32 $F32, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N8k32.f32.{e4m3|e5m2}.{e4m3|e5m2} $F32, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N8k32.f16.{e4m3|e5m2}.{e4m3|e5m2} $F16, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N16k32.s32.{T:s8.s8|u8.u8|s8.u8|u8.s8}{|.satfinite} $S32, {A:d|{r,r,r,r}}, d, p"
        isa "{T:8.0|8.0|8.4|8.4}" on "sm_90a_alone";
    Dense: "wgmma.mma_async.sync.aligned.m64n$N16k256.s32.b1.b1.and.popc $S32, {A:d|{r,r,r,r}}, d, p"
        isa "8.0" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N8k32.f32.{T:f16|bf16}.{T:f16|bf16} $F32, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1, {A:0, 0|0}"
        isa "8.2" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N8k32.f16.f16.f16 $F16, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1, {A:0, 0|0}"
        isa "8.2" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N8k16.f32.tf32.tf32 $F32, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N8k64.f32.{e4m3|e5m2}.{e4m3|e5m2} $F32, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N8k64.f16.{e4m3|e5m2}.{e4m3|e5m2} $F16, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$N16k64.s32.{T:s8.s8|u8.u8|s8.u8|u8.s8}{|.satfinite} $S32, {A:d|{r,r,r,r}}, d, r, 0, p"
        isa "{T:8.2|8.2|8.4|8.4}" on "sm_90a_alone";
}
