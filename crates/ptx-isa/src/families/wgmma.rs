//! `wgmma`, products of matrices of a warpgroup. What N is between the least and the greatest makes no other
//! form.

family! { Wgmma "9.7.14.7" { Fence, CommitGroup, WaitGroup, Dense, Sparse }
    Fence: "wgmma.fence.sync.aligned"
        isa "8.0" on "sm_90a_alone" = "wgmma::fence_sync::<Aligned>()";
    CommitGroup: "wgmma.commit_group.sync.aligned"
        isa "8.0" on "sm_90a_alone" = "wgmma::commit_group_sync::<Aligned>()";
    WaitGroup: "wgmma.wait_group.sync.aligned 1"
        isa "8.0" on "sm_90a_alone" = "wgmma::wait_group_sync::<Aligned, 1>()";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk16.f32.{T:f16|bf16}.{T:f16|bf16} $WORDS, {A:d|{r,r,r,r}}, d, p, 1, 1, {A:0, 0|0}"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[f32; {N:4|128}], {T:F16|Bf16}, {T:F16|Bf16}, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk16.f16.f16.f16 $PAIRS, {A:d|{r,r,r,r}}, d, p, 1, 1, {A:0, 0|0}"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[u32; {N:2|64}], F16, F16, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk8.f32.tf32.tf32 $WORDS, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[f32; {N:4|128}], Tf32, Tf32, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk32.f32.{e4m3|e5m2}.{e4m3|e5m2} $WORDS, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[f32; {N:4|128}], {E4m3|E5m2}, {E4m3|E5m2}, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk32.f16.{e4m3|e5m2}.{e4m3|e5m2} $PAIRS, {A:d|{r,r,r,r}}, d, p, 1, 1"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[u32; {N:2|64}], {E4m3|E5m2}, {E4m3|E5m2}, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk32.s32.{T:s8.s8|u8.u8|s8.u8|u8.s8}{S:|.satfinite} $WORDS, {A:d|{r,r,r,r}}, d, p"
        isa "{T:8.0|8.0|8.4|8.4}" on "sm_90a_alone" = "wgmma::mma_async{S:|_satfinite}::<[i32; {N:4|128}], {T:S8, S8|U8, U8|S8, U8|U8, S8}{S:, 1, 1, 0, 0|}>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Dense: "wgmma.mma_async.sync.aligned.m64n$Nk256.s32.b1.b1.and.popc $WORDS, {A:d|{r,r,r,r}}, d, p"
        isa "8.0" on "sm_90a_alone" = "wgmma::mma_async::<[i32; {N:4|128}], B1, B1, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk32.f32.{T:f16|bf16}.{T:f16|bf16} $WORDS, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1, {A:0, 0|0}"
        isa "8.2" on "sm_90a_alone" = "wgmma::mma_async_sp::<[f32; {N:4|128}], {T:F16|Bf16}, {T:F16|Bf16}, 0, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk32.f16.f16.f16 $PAIRS, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1, {A:0, 0|0}"
        isa "8.2" on "sm_90a_alone" = "wgmma::mma_async_sp::<[u32; {N:2|64}], F16, F16, 0, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk16.f32.tf32.tf32 $WORDS, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone" = "wgmma::mma_async_sp::<[f32; {N:4|128}], Tf32, Tf32, 0, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk64.f32.{e4m3|e5m2}.{e4m3|e5m2} $WORDS, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone" = "wgmma::mma_async_sp::<[f32; {N:4|128}], {E4m3|E5m2}, {E4m3|E5m2}, 0, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk64.f16.{e4m3|e5m2}.{e4m3|e5m2} $PAIRS, {A:d|{r,r,r,r}}, d, r, 0, p, 1, 1"
        isa "8.2" on "sm_90a_alone" = "wgmma::mma_async_sp::<[u32; {N:2|64}], {E4m3|E5m2}, {E4m3|E5m2}, 0, 1, 1, 0, 0>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
    Sparse: "wgmma.mma_async.sp.sync.aligned.m64n$Nk64.s32.{T:s8.s8|u8.u8|s8.u8|u8.s8}{S:|.satfinite} $WORDS, {A:d|{r,r,r,r}}, d, r, 0, p"
        isa "{T:8.2|8.2|8.4|8.4}" on "sm_90a_alone" = "wgmma::mma_async_sp{S:|_satfinite}::<[i32; {N:4|128}], {T:S8, S8|U8, U8|S8, U8|U8, S8}, 0{S:, 1, 1, 0, 0|}>(zeros(), {A:w|[a, b, c, n]}, v, q, true)";
}
