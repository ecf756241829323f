"""What the paper says, by its numbers: a title for each part, and the statement in a sentence or two."""

_RATE = "n^(-1/d) for p ≤ d/2, else n^(-p/(p(d+2) - d)); up to logarithms, with high probability."
_ROOT = "n^(-1/3), up to logarithms, with high probability."
_RETRIEVAL = "2,000 labelled pictures, 50 queries; noise, shift and both."
_MORE = "600 queries, for the claims; the ten nearest of 2,000 labelled pictures."

STATEMENTS: dict[str, tuple[str, str]] = {
    "Introduction": (
        "Two examples",
        "1 % of outliers at distance 1 makes W_p 0.1, 0.21 and 1 for p = 2, 3 and ∞, and RPW at most 0.01. Partial W_p "
        "breaks the triangle inequality.",
    ),
    "Figure 1": (
        "What each distance moves, and what it leaves behind",
        "TV is the mass that is not shared. W_p is the cost of moving all mass. RPW leaves ε behind and moves the rest "
        "at cost kε.",
    ),
    "Figure 2": (
        "Distances on the OT-profile",
        "The line y = k(1 - x) meets the profile at x = 1 - RPW. The profile leaves 0 at x = 1 - TV and ends at W_p.",
    ),
    "Theorem 2.1": ("RPW is a metric", "Symmetric, 0 for equal measures only, and RPW(μ, ν) ≤ RPW(μ, κ) + RPW(κ, ν)."),
    "Figure 3": ("Why the triangle inequality holds", "The mass of κ that both plans use is at least 1 - ε₁ - ε₂."),
    "Lemma 2.2": (
        "Between α and β",
        "If W_{p,1-α} = kβ, then min(α, β) ≤ RPW ≤ max(α, β). The paper prints RPW ≤ min(α, β); its proof shows ≥.",
    ),
    "Theorem 3.1": (
        "A share δ of outliers",
        "RPW(μ, ν) - δ ≤ RPW(μ, (1-δ)ν + δν') ≤ (1-δ) RPW(μ, ν) + δ, for outliers ν' anywhere.",
    ),
    "Lemma 3.2": (
        "RPW is in proportion to min(δ, W_p/k)",
        "If μ and μ' differ by a mass δ, and if (A1) W_{p,1-δ/10} ≥ W_p/2, then RPW = Θ(min(δ, W_p/k)), with the "
        "constants 1/10 and 1.",
    ),
    "Lemma 3.3": (
        "Samples of two distributions in the plane, p = 2",
        f"|RPW_{{2,1}}(μ, ν) - RPW_{{2,1}}(μ_n, ν_n)| is at most {_ROOT}",
    ),
    "Lemma 3.4": ("A density in the plane and its sample, p = 2", f"RPW_{{2,1}}(μ, μ_n) is at most {_ROOT}"),
    "Lemma 3.5": (
        "The excess of a grid in the square",
        "With cells of side n^(-α), Σ max(0, μ(cell) - μ_n(cell)) is at most n^(α - 1/2), up to logarithms, with high "
        "probability.",
    ),
    "Figure 4": (
        "The plan of the proof of Lemma 3.4",
        "γ₁ moves as much as possible inside fine cells, γ₂ the rest inside coarse ones. What remains is the excess.",
    ),
    "Lemma 3.6": (
        "A density and its sample, in every dimension",
        f"RPW_{{p,k}}(μ, μ_n) is at most {_RATE} Here k = 1.",
    ),
    "Theorem 3.7": (
        "Samples of two different distributions",
        f"|RPW_{{p,k}}(μ, ν) - RPW_{{p,k}}(μ_n, ν_n)| is at most {_RATE} Here k = 1.",
    ),
    "Theorem 3.7, equal distributions": (
        "Two samples of one distribution",
        f"With μ = ν, RPW_{{p,1}}(μ_n, μ'_n) is at most {_RATE}",
    ),
    "Lemma 4.1": (
        "The Lévy-Prokhorov distance",
        "RPW_{∞,1} is the least ε with μ(S) ≤ ν(points within ε of S) + ε for all sets S.",
    ),
    "Lemma 4.2": ("Total variation", "RPW_{p,0} = TV, for all p."),
    "Lemma 4.3": ("The Wasserstein distance", "RPW ≤ W_p/k ≤ RPW + k^(-(p+1)/p)."),
    "Section 5": (
        "The running time of LMR",
        "A distance within δ takes O(n²/(kδ)^p + n/(kδ)^(2p)); the paper drops k, a constant.",
    ),
    "Figure 5, MNIST": ("Retrieval", _RETRIEVAL),
    "Figure 5, CIFAR-10": ("Retrieval", _RETRIEVAL),
    "Figure 5, digits": (
        "Retrieval, small and on other pictures",
        "The experiment of the paper's figure 5 on scikit-learn's digits, which need no download.",
    ),
    "Section 6.1, MNIST": ("Retrieval, with more queries", _MORE),
    "Section 6.1, CIFAR-10": ("Retrieval, with more queries", _MORE),
    "Section 6.1, COREL": ("Retrieval, with more queries", _MORE),
    "Section 6.1": (
        "The claims about retrieval",
        "Every sentence of the paper about retrieval that compares two distances, and five comparisons of our own.",
    ),
    "Figure 6": (
        "Convergence on finitely many points",
        "RPW_{2,1} converges significantly faster than W_2; a small k gives TV, a large one W_2/k.",
    ),
    "Figure 7, COREL": ("Retrieval", _RETRIEVAL),
    "Lemma A.1": (
        "Both bounds on RPW",
        "With δ = TV and 0 < α < 1, min(δ(1-α), W_{p,1-δ(1-α)}/k) ≤ RPW ≤ min(δ, W_p/k).",
    ),
    "Lemma A.2": (
        "The excess of a grid in d dimensions",
        "With cells of side n^(-α), Σ max(0, μ(cell) - μ_n(cell)) is at most n^(dα/2 - 1/2), up to logarithms, with "
        "high probability.",
    ),
    "Lemma A.4": (
        "RPW from a rough profile",
        "A profile that is at most δ' too high gives RPW to within 2δ'/k, from above.",
    ),
    "Ours, thresholds": (
        "How much noise or shift a picture withstands",
        "A picture is perturbed until it is as far from its original as the nearest of nine others is, one of each "
        "other class.",
    ),
    "Ours, k": ("How to choose k", "The accuracy of retrieval over k from 0.01 to 100, beside λ-ROBOT over λ."),
}
