//! Programs of llm.c.

pub(super) const PROGRAMS: &[&str] = &[
    "adamw.cu",
    "classifier_fused.cu",
    "crossentropy_forward.cu",
    "crossentropy_softmax_backward.cu",
    "encoder_backward.cu",
    "encoder_forward.cu",
    "fused_residual_forward.cu",
    "gelu_backward.cu",
    "gelu_forward.cu",
    "global_norm.cu",
    "layernorm_backward.cu",
    "layernorm_forward.cu",
    "matmul_backward_bias.cu",
    "permute.cu",
    "residual_forward.cu",
    "softmax_forward.cu 4",
];
