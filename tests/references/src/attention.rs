/// Attention over heads of several sequences: elements of a head are contiguous, then heads, positions and sequences.
#[derive(Clone, Copy, Debug)]
pub struct Attention {
    /// Elements of a head.
    pub elements: usize,
    /// Sequences, each with its own keys.
    pub sequences: usize,
    /// Queries of a sequence.
    pub queries: usize,
    /// Keys of a sequence.
    pub keys: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys, each for the same number of heads of queries.
    pub key_heads: usize,
    /// The factor of scores.
    pub scale: f64,
    /// Queries do not see keys that are nearer to the end of the sequence than they.
    pub is_causal: bool,
}

impl Attention {
    /// The results of queries `q`, keys `k` and values `v`, and for each sequence, head and query the logarithm of the sum
    /// of powers.
    pub fn of(&self, q: &[f64], k: &[f64], v: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (elements, queries, keys) = (self.elements, self.queries, self.keys);
        let mut results = vec![0.0; q.len()];
        let mut logarithms = Vec::new();
        for sequence in 0..self.sequences {
            for head in 0..self.heads {
                let key_head = head / (self.heads / self.key_heads);
                let key_at = |key| ((sequence * keys + key) * self.key_heads + key_head) * elements;
                for query in 0..queries {
                    let query_at = ((sequence * queries + query) * self.heads + head) * elements;
                    let seen =
                        (0..keys).filter(|key| !self.is_causal || keys - key >= queries - query);
                    let score = |key| {
                        let products =
                            (0..elements).map(|at| q[query_at + at] * k[key_at(key) + at]);
                        (key, self.scale * products.sum::<f64>())
                    };
                    let scores: Vec<(usize, f64)> = seen.map(score).collect();
                    let greatest = scores.iter().map(|(_, score)| *score);
                    let greatest = greatest.fold(f64::NEG_INFINITY, f64::max);
                    let powers = scores
                        .iter()
                        .map(|(key, score)| (key, (score - greatest).exp()));
                    let sum: f64 = powers.clone().map(|(_, power)| power).sum();
                    for (key, power) in powers {
                        for at in 0..elements {
                            results[query_at + at] += power / sum * v[key_at(*key) + at];
                        }
                    }
                    logarithms.push(greatest + sum.ln());
                }
            }
        }
        (results, logarithms)
    }

    /// The gradients of queries `q`, keys `k` and values `v`, given those of the results.
    pub fn gradients(&self, q: &[f64], k: &[f64], v: &[f64], of_results: &[f64]) -> [Vec<f64>; 3] {
        let (elements, queries, keys) = (self.elements, self.queries, self.keys);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let add = |to: &mut [f64], factor: f64, from: &[f64]| {
            to.iter_mut()
                .zip(from)
                .for_each(|(to, from)| *to += factor * from);
        };
        let mut gradients = [q, k, v].map(|tensor| vec![0.0; tensor.len()]);
        let [of_q, of_k, of_v] = &mut gradients;
        for sequence in 0..self.sequences {
            for head in 0..self.heads {
                let key_head = head / (self.heads / self.key_heads);
                let key_at = |key| {
                    let at = ((sequence * keys + key) * self.key_heads + key_head) * elements;
                    at..at + elements
                };
                for query in 0..queries {
                    let at = ((sequence * queries + query) * self.heads + head) * elements;
                    let query_at = at..at + elements;
                    let seen =
                        (0..keys).filter(|key| !self.is_causal || keys - key >= queries - query);
                    let power = |key| {
                        let score = dot(&q[query_at.clone()], &k[key_at(key)]);
                        (key, (self.scale * score).exp())
                    };
                    let powers: Vec<(usize, f64)> = seen.map(power).collect();
                    let sum: f64 = powers.iter().map(|(_, power)| power).sum();
                    let of_result = &of_results[query_at.clone()];
                    let of_weights: Vec<f64> = powers
                        .iter()
                        .map(|(key, _)| dot(of_result, &v[key_at(*key)]))
                        .collect();
                    let weighted = powers.iter().zip(&of_weights);
                    let mean = weighted.map(|((_, power), of)| power / sum * of);
                    let mean: f64 = mean.sum();
                    for ((key, power), of_weight) in powers.iter().zip(of_weights) {
                        let weight = power / sum;
                        add(&mut of_v[key_at(*key)], weight, of_result);
                        let of_score = self.scale * weight * (of_weight - mean);
                        add(&mut of_k[key_at(*key)], of_score, &q[query_at.clone()]);
                        add(&mut of_q[query_at.clone()], of_score, &k[key_at(*key)]);
                    }
                }
            }
        }
        gradients
    }
}

#[cfg(test)]
mod tests {
    use super::Attention;

    #[test]
    fn the_softmax_of_scores_weighs_values() {
        // One query of a head attends to both keys, and the other one to the first.
        let attention = Attention {
            elements: 1,
            sequences: 1,
            queries: 2,
            keys: 2,
            heads: 1,
            key_heads: 1,
            scale: 2.0,
            is_causal: true,
        };
        let three = 3.0_f64.ln() / 2.0;
        let (results, logarithms) = attention.of(&[5.0, 1.0], &[0.0, three], &[8.0, 4.0]);
        let near = |values: &[f64], expected: [f64; 2]| {
            let mut pairs = values.iter().zip(expected);
            pairs.all(|(value, expected)| (value - expected).abs() < 1e-12)
        };
        assert!(near(&results, [8.0, 5.0]), "{results:?}");
        assert!(near(&logarithms, [0.0, 4.0_f64.ln()]), "{logarithms:?}");
    }

    #[test]
    fn gradients_are_the_slopes_of_results() {
        let attention = Attention {
            elements: 2,
            sequences: 1,
            queries: 3,
            keys: 3,
            heads: 2,
            key_heads: 1,
            scale: 0.7,
            is_causal: true,
        };
        let numbers = |len: usize, seed: f64| -> Vec<f64> {
            (0..len).map(|at| (seed + 1.3 * at as f64).sin()).collect()
        };
        let tensors = [numbers(12, 0.1), numbers(6, 0.2), numbers(6, 0.3)];
        let of_results = numbers(12, 0.4);
        let [q, k, v] = &tensors;
        let gradients = attention.gradients(q, k, v, &of_results);
        let loss = |[q, k, v]: &[Vec<f64>; 3]| {
            let (results, _) = attention.of(q, k, v);
            let products = results.iter().zip(&of_results).map(|(a, b)| a * b);
            products.sum::<f64>()
        };
        for (tensor, gradients) in gradients.iter().enumerate() {
            for (at, gradient) in gradients.iter().enumerate() {
                let moved = |by: f64| {
                    let mut tensors = tensors.clone();
                    tensors[tensor][at] += by;
                    loss(&tensors)
                };
                let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
                assert!(
                    (slope - gradient).abs() < 1e-8,
                    "{tensor} {at}: {slope} {gradient}"
                );
            }
        }
    }
}
