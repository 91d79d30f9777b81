//! `mma`, products of matrices in the registers of a warp.

family! { Mma "9.7.14.5.14, 9.7.14.6" { Dense, Sparse, Narrow }
    Dense: "mma.sync.aligned.m8n8k4.{row|col}.{row|col}.{D:f32.f16.f16.f32|f32.f16.f16.f16|f16.f16.f16.f16} {D:{r,r,r,r,r,r,r,r}|{r,r,r,r,r,r,r,r}|{r,r,r,r}}, {r,r}, {r,r}, {D:{r,r,r,r,r,r,r,r}|{r,r,r,r}|{r,r,r,r}}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m8n8k4_{row|col}_{row|col}_{D:f32_f16_f16_f32|f32_f16_f16_f16|f16_f16_f16_f16}([a, b], [n, m], {D:[f, g, f, g, f, g, f, g]|[a, b, c, n]|[a, b, c, n]})";
    Dense: "mma.sync.aligned.m16n8{K:k8|k16}.row.col.{D:f32|f16}.f16.f16.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {D:{r,r,r,r}|{r,r}}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m16n8{K:k8|k16}_row_col_{D:f32_f16_f16_f32|f16_f16_f16_f16}({K:[a, b]|[a, b, c, n]}, {K:[n]|[n, m]}, {D:[f, g, f, g]|[c, m]})";
    Dense: "mma.sync.aligned.m16n8{K:k8|k16}.row.col.f32.bf16.bf16.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m16n8{K:k8|k16}_row_col_f32_bf16_bf16_f32({K:[a, b]|[a, b, c, n]}, {K:[n]|[n, m]}, [f, g, f, g])";
    Dense: "mma.sync.aligned.m16n8{K:k4|k8}.row.col.f32.tf32.tf32.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m16n8{K:k4|k8}_row_col_f32_tf32_tf32_f32({K:[a, b]|[a, b, c, n]}, {K:[n]|[n, m]}, [f, g, f, g])";
    Dense: "mma.sync.aligned.m16n8{K:k32|k32|k16|k16}.row.col.{K:f32|f16|f32|f16}.{e4m3|e5m2}.{e4m3|e5m2}.{K:f32|f16|f32|f16} {K:{r,r,r,r}|{r,r}|{r,r,r,r}|{r,r}}, {K:{r,r,r,r}|{r,r,r,r}|{r,r}|{r,r}}, {K:{r,r}|{r,r}|{r}|{r}}, {K:{r,r,r,r}|{r,r}|{r,r,r,r}|{r,r}}"
        isa "{K:8.4|8.7|8.7|8.7}" on "sm_90" = "mma::sync_aligned_m16n8{K:k32|k32|k16|k16}_row_col_{K:f32|f16|f32|f16}_{e4m3|e5m2}_{e4m3|e5m2}_{K:f32|f16|f32|f16}({K:[a, b, c, n]|[a, b, c, n]|[a, b]|[a, b]}, {K:[n, m]|[n, m]|[n]|[n]}, {K:[f, g, f, g]|[c, m]|[f, g, f, g]|[c, m]})";
    Dense: "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d,d}, {d}, {d}, {d,d}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m8n8k4_row_col_f64_f64_f64_f64([e], [e], [e, e])";
    Dense: "mma.sync.aligned.m8n8k4.row.col.{R:rn|rz|rm|rp}.f64.f64.f64.f64 {d,d}, {d}, {d}, {d,d}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m8n8k4_row_col_{R:rn|rz|rm|rp}_f64_f64_f64_f64([e], [e], [e, e])";
    Dense: "mma.sync.aligned.m16n8{K:k4|k8|k16}.row.col.f64.f64.f64.f64 {d,d,d,d}, {K:{d,d}|{d,d,d,d}|{d,d,d,d,d,d,d,d}}, {K:{d}|{d,d}|{d,d,d,d}}, {d,d,d,d}"
        isa "7.8" on "sm_90" = "mma::sync_aligned_m16n8{K:k4|k8|k16}_row_col_f64_f64_f64_f64({K:[e, e]|[e, e, e, e]|[e, e, e, e, e, e, e, e]}, {K:[e]|[e, e]|[e, e, e, e]}, [e, e, e, e])";
    Dense: "mma.sync.aligned.m16n8{K:k4|k8|k16}.row.col.{R:rn|rz|rm|rp}.f64.f64.f64.f64 {d,d,d,d}, {K:{d,d}|{d,d,d,d}|{d,d,d,d,d,d,d,d}}, {K:{d}|{d,d}|{d,d,d,d}}, {d,d,d,d}"
        isa "7.8" on "sm_90" = "mma::sync_aligned_m16n8{K:k4|k8|k16}_row_col_{R:rn|rz|rm|rp}_f64_f64_f64_f64({K:[e, e]|[e, e, e, e]|[e, e, e, e, e, e, e, e]}, {K:[e]|[e, e]|[e, e, e, e]}, [e, e, e, e])";
    Dense: "mma.sync.aligned.m8n8{T:k16|k32}.row.col.{|satfinite.}s32.{s|u}{T:8|4}.{s|u}{T:8|4}.s32 {r,r}, {r}, {r}, {r,r}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m8n8{T:k16|k32}_row_col_{|satfinite_}s32_{s|u}{T:8|4}_{s|u}{T:8|4}_s32([a], [n], [x, y])";
    Dense: "mma.sync.aligned.m16n8{T:k16|k32|k32|k64}.row.col.{|satfinite.}s32.{s|u}{T:8|8|4|4}.{s|u}{T:8|8|4|4}.s32 {r,r,r,r}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {T:{r}|{r,r}|{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80" = "mma::sync_aligned_m16n8{T:k16|k32|k32|k64}_row_col_{|satfinite_}s32_{s|u}{T:8|8|4|4}_{s|u}{T:8|8|4|4}_s32({T:[a, b]|[a, b, c, n]|[a, b]|[a, b, c, n]}, {T:[n]|[n, m]|[n]|[n, m]}, [x, y, z, x])";
    Dense: "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{xor|and}.popc {r,r}, {r}, {r}, {r,r}"
        isa "{7.0|7.1}" on "sm_80" = "mma::sync_aligned_m8n8k128_row_col_s32_b1_b1_s32_{xor|and}_popc([a], [n], [x, y])";
    Dense: "mma.sync.aligned.m16n8{K:k128|k256}.row.col.s32.b1.b1.s32.{V:xor|and}.popc {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "{V:7.0|7.1}" on "sm_80" = "mma::sync_aligned_m16n8{K:k128|k256}_row_col_s32_b1_b1_s32_{V:xor|and}_popc({K:[a, b]|[a, b, c, n]}, {K:[n]|[n, m]}, [x, y, z, x])";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k16|k32}.row.col.{D:f32|f16}.f16.f16.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {D:{r,r,r,r}|{r,r}}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80" = "mma::sp_sync_aligned_m16n8{K:k16|k32}_row_col_{D:f32_f16_f16_f32|f16_f16_f16_f16}::<{V:AnyMetadata|OrderedMetadata}, 0>({K:[a, b]|[a, b, c, n]}, {K:[n, m]|[n, m, a, b]}, {D:[f, g, f, g]|[c, m]}, q)";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k16|k32}.row.col.f32.bf16.bf16.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80" = "mma::sp_sync_aligned_m16n8{K:k16|k32}_row_col_f32_bf16_bf16_f32::<{V:AnyMetadata|OrderedMetadata}, 0>({K:[a, b]|[a, b, c, n]}, {K:[n, m]|[n, m, a, b]}, [f, g, f, g], q)";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k8|k16}.row.col.f32.tf32.tf32.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80" = "mma::sp_sync_aligned_m16n8{K:k8|k16}_row_col_f32_tf32_tf32_f32::<{V:AnyMetadata|OrderedMetadata}, 0>({K:[a, b]|[a, b, c, n]}, {K:[n, m]|[n, m, a, b]}, [f, g, f, g], q)";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{T:k32|k64|k64|k128}.row.col.{|satfinite.}s32.{s|u}{T:8|8|4|4}.{s|u}{T:8|8|4|4}.s32 {r,r,r,r}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80" = "mma::sp_sync_aligned_m16n8{T:k32|k64|k64|k128}_row_col_{|satfinite_}s32_{s|u}{T:8|8|4|4}_{s|u}{T:8|8|4|4}_s32::<{V:AnyMetadata|OrderedMetadata}, 0>({T:[a, b]|[a, b, c, n]|[a, b]|[a, b, c, n]}, {T:[n, m]|[n, m, a, b]|[n, m]|[n, m, a, b]}, [x, y, z, x], q)";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8k64.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32 {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0"
        isa "{V:8.4|8.5}" on "sm_90" = "mma::sp_sync_aligned_m16n8k64_row_col_f32_{e4m3|e5m2}_{e4m3|e5m2}_f32::<{V:AnyMetadata|OrderedMetadata}, 0>([a, b, c, n], [n, m, a, b], [f, g, f, g], q)";
    Sparse: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.{A:e4m3|e5m2}.{B:e4m3|e5m2}.f16 {r,r}, {r,r,r,r}, {r,r,r,r}, {r,r}, r, 0"
        isa "8.7" on "sm_120a" = "mma::sp_ordered_metadata_sync_aligned_m16n8k64_row_col_f16::<{A:E4m3|E5m2}, {B:E4m3|E5m2}>([a, b, c, n], [n, m, a, b], [c, m], q)";
    Narrow: "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.{D:f32|f16}.{A:e4m3|e5m2}.{B:e4m3|e5m2}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r}, {D:{r,r,r,r}|{r,r}}"
        isa "{D:8.6|8.7}" on "sm_100a_or_sm_120a" = "mma::sync_aligned_m16n8k32_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E4m3|E5m2}, {B:E4m3|E5m2}>([a, b, c, n], [n, m], {D:[f, g, f, g]|[c, m]})";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.{D:f32|f16}.{A:e4m3|e5m2}.{B:e4m3|e5m2}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r,r,r}, {D:{r,r,r,r}|{r,r}}, r, 0"
        isa "{D:8.6|8.7}" on "{D:sm_100a_or_sm_120a|sm_120a}" = "mma::sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E4m3|E5m2}, {B:E4m3|E5m2}>([a, b, c, n], [n, m, a, b], {D:[f, g, f, g]|[c, m]}, q)";
    Narrow: "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.{D:f32|f16}.{A:e4m3|e5m2}.{B:e3m2|e2m3|e2m1}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r}, {D:{r,r,r,r}|{r,r}}"
        isa "8.7" on "sm_120a" = "mma::sync_aligned_m16n8k32_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E4m3|E5m2}, {B:E3m2|E2m3|E2m1}>([a, b, c, n], [n, m], {D:[f, g, f, g]|[c, m]})";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.{D:f32|f16}.{A:e4m3|e5m2}.{B:e3m2|e2m3|e2m1}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r,r,r}, {D:{r,r,r,r}|{r,r}}, r, 0"
        isa "8.7" on "sm_120a" = "mma::sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E4m3|E5m2}, {B:E3m2|E2m3|E2m1}>([a, b, c, n], [n, m, a, b], {D:[f, g, f, g]|[c, m]}, q)";
    Narrow: "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.{D:f32|f16}.{A:e3m2|e2m3|e2m1}.{B:e4m3|e5m2|e3m2|e2m3|e2m1}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r}, {D:{r,r,r,r}|{r,r}}"
        isa "8.7" on "sm_120a" = "mma::sync_aligned_m16n8k32_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E3m2|E2m3|E2m1}, {B:E4m3|E5m2|E3m2|E2m3|E2m1}>([a, b, c, n], [n, m], {D:[f, g, f, g]|[c, m]})";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.{D:f32|f16}.{A:e3m2|e2m3|e2m1}.{B:e4m3|e5m2|e3m2|e2m3|e2m1}.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {r,r,r,r}, {r,r,r,r}, {D:{r,r,r,r}|{r,r}}, r, 0"
        isa "8.7" on "sm_120a" = "mma::sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_f8f6f4_{D:f32|f16}::<{A:E3m2|E2m3|E2m1}, {B:E4m3|E5m2|E3m2|E2m3|E2m1}>([a, b, c, n], [n, m, a, b], {D:[f, g, f, g]|[c, m]}, q)";
    Narrow: "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{V:.scale_vec::1X|.scale_vec::1X||}.f32.{A:e4m3|e5m2|e3m2|e2m3|e2m1}.{B:e4m3|e5m2|e3m2|e2m3|e2m1}.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r}, {r,r,r,r}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}"
        isa "8.7" on "sm_120a" = "mma::sync_aligned_m16n8k32_row_col_kind_mxf8f6f4_block_scale_scale_vec_1x{V:|=|=|=}::<{A:E4m3|E5m2|E3m2|E2m3|E2m1}, {B:E4m3|E5m2|E3m2|E2m3|E2m1}, 0, 0, 0, 0>([a, b, c, n], [n, m], [f, g, f, g], [a, b])";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{V:.scale_vec::1X|.scale_vec::1X||}.f32.{A:e4m3|e5m2|e3m2|e2m3|e2m1}.{B:e4m3|e5m2|e3m2|e2m3|e2m1}.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}"
        isa "8.7" on "sm_120a" = "mma::sp_ordered_metadata_sync_aligned_m16n8k64_row_col_kind_mxf8f6f4_block_scale_scale_vec_1x{V:|=|=|=}::<{A:E4m3|E5m2|E3m2|E2m3|E2m1}, {B:E4m3|E5m2|E3m2|E2m3|E2m1}, 0, 0, 0, 0>([a, b, c, n], [n, m, a, b], [f, g, f, g], q, [a, b])";
    Narrow: "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale{V:.scale_vec::2X|.scale_vec::2X||}.f32.e2m1.e2m1.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r}, {r,r,r,r}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}"
        isa "8.7" on "sm_120a" = "mma::sync_aligned_m16n8k64_row_col_kind_mxf4_block_scale_scale_vec_2x{V:|=|=|=}::<0, 0, 0, 0>([a, b, c, n], [n, m], [f, g, f, g], [a, b])";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale{V:.scale_vec::2X|.scale_vec::2X||}.f32.e2m1.e2m1.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}, r, {V:{0,0}|{h,h}|{0,0}|{h,h}}"
        isa "8.7" on "sm_120a_alone" = "mma::sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4_block_scale_scale_vec_2x{V:|=|=|=}::<0, 0, 0, 0>([a, b, c, n], [n, m, a, b], [f, g, f, g], q, [a, b])";
    Narrow: "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::{S:2X|4X}.f32.e2m1.e2m1.f32.{S:ue8m0|ue4m3} {r,r,r,r}, {r,r,r,r}, {r,r}, {r,r,r,r}, r, {V:{0,0}|{h,h}}, r, {V:{0,0}|{h,h}}"
        isa "8.7" on "sm_120a" = "mma::sync_aligned_m16n8k64_row_col_kind_mxf4nvf4_block_scale_scale_vec_{S:2x|4x}{V:|=}::<0, 0, 0, 0>([a, b, c, n], [n, m], [f, g, f, g], [a, b])";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::{S:2X|4X}.f32.e2m1.e2m1.f32.{S:ue8m0|ue4m3} {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0, r, {V:{0,0}|{h,h}}, r, {V:{0,0}|{h,h}}"
        isa "8.7" on "sm_120a_alone" = "mma::sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4nvf4_block_scale_scale_vec_{S:2x|4x}{V:|=}::<0, 0, 0, 0>([a, b, c, n], [n, m, a, b], [f, g, f, g], q, [a, b])";
    Narrow: "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r}, {r,r,r,r}, r, {V:{0,0}|{h,h}}, r, {V:{0,0}|{h,h}}"
        isa "9.1" on "sm_120a" = "mma::sync_aligned_m16n8k64_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x_ue8m0{V:|=}::<0, 0, 0, 0>([a, b, c, n], [n, m], [f, g, f, g], [a, b])";
    Narrow: "mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0 {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0, r, {V:{0,0}|{h,h}}, r, {V:{0,0}|{h,h}}"
        isa "9.1" on "sm_120a_alone" = "mma::sp_ordered_metadata_sync_aligned_m16n8k128_row_col_kind_mxf4nvf4_block_scale_scale_vec_4x_ue8m0{V:|=}::<0, 0, 0, 0>([a, b, c, n], [n, m, a, b], [f, g, f, g], q, [a, b])";
}
