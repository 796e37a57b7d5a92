"""Tests of hypotheses: of means, variances and distributions."""

from typing import TYPE_CHECKING

from ..._rooms import lazily as _lazily

__all__ = [
    "AndersonResult",
    "Anderson_ksampResult",
    "BinomTestResult",
    "DunnettResult",
    "GoodnessOfFitResult",
    "KstestResult",
    "MedianTestResult",
    "PageTrendTestResult",
    "Power_divergenceResult",
    "QuantileTestResult",
    "TtestResult",
    "TukeyHSDResult",
    "WilcoxonResult",
    "alexandergovern",
    "anderson",
    "anderson_ksamp",
    "ansari",
    "barnard_exact",
    "bartlett",
    "binomtest",
    "boschloo_exact",
    "brunnermunzel",
    "chisquare",
    "combine_pvalues",
    "cramervonmises",
    "cramervonmises_2samp",
    "dunnett",
    "epps_singleton_2samp",
    "f_oneway",
    "false_discovery_control",
    "fisher_exact",
    "fligner",
    "friedmanchisquare",
    "goodness_of_fit",
    "jarque_bera",
    "kruskal",
    "ks_1samp",
    "ks_2samp",
    "kstest",
    "kurtosistest",
    "levene",
    "mannwhitneyu",
    "median_test",
    "mood",
    "normaltest",
    "page_trend_test",
    "poisson_means_test",
    "power_divergence",
    "ppcc_max",
    "ppcc_plot",
    "probplot",
    "quantile_test",
    "ranksums",
    "shapiro",
    "skewtest",
    "ttest_1samp",
    "ttest_ind",
    "ttest_ind_from_stats",
    "ttest_rel",
    "tukey_hsd",
    "wilcoxon",
]

if TYPE_CHECKING:
    from ._anderson import Anderson_ksampResult, AndersonResult, anderson, anderson_ksamp
    from ._combining import combine_pvalues, false_discovery_control
    from ._counts import Power_divergenceResult, chisquare, power_divergence
    from ._cramer import cramervonmises, cramervonmises_2samp
    from ._epps_singleton import epps_singleton_2samp
    from ._exact_tables import fisher_exact
    from ._goodness_of_fit import GoodnessOfFitResult, goodness_of_fit
    from ._groups import alexandergovern, bartlett, f_oneway, levene
    from ._medians import MedianTestResult, median_test
    from ._multiple import DunnettResult, TukeyHSDResult, dunnett, tukey_hsd
    from ._normality import jarque_bera, kurtosistest, normaltest, shapiro, skewtest
    from ._page import PageTrendTestResult, page_trend_test
    from ._poisson_means import poisson_means_test
    from ._probability_plot import ppcc_max, ppcc_plot, probplot
    from ._proportions import BinomTestResult, binomtest
    from ._quantile_test import QuantileTestResult, quantile_test
    from ._rank_groups import fligner, friedmanchisquare, kruskal
    from ._rank_scales import ansari, mood
    from ._rank_sums import brunnermunzel, mannwhitneyu, ranksums
    from ._signed_ranks import WilcoxonResult, wilcoxon
    from ._smirnov import KstestResult, ks_1samp, ks_2samp, kstest
    from ._student import TtestResult, ttest_1samp, ttest_ind, ttest_ind_from_stats, ttest_rel
    from ._unconditional import barnard_exact, boschloo_exact
else:
    __getattr__, __dir__ = _lazily(
        __name__,
        {
            "_anderson": "AndersonResult Anderson_ksampResult anderson anderson_ksamp",
            "_combining": "combine_pvalues false_discovery_control",
            "_counts": "Power_divergenceResult chisquare power_divergence",
            "_cramer": "cramervonmises cramervonmises_2samp",
            "_epps_singleton": "epps_singleton_2samp",
            "_exact_tables": "fisher_exact",
            "_goodness_of_fit": "GoodnessOfFitResult goodness_of_fit",
            "_groups": "alexandergovern bartlett f_oneway levene",
            "_medians": "MedianTestResult median_test",
            "_multiple": "DunnettResult TukeyHSDResult dunnett tukey_hsd",
            "_normality": "jarque_bera kurtosistest normaltest shapiro skewtest",
            "_page": "PageTrendTestResult page_trend_test",
            "_poisson_means": "poisson_means_test",
            "_probability_plot": "ppcc_max ppcc_plot probplot",
            "_proportions": "BinomTestResult binomtest",
            "_quantile_test": "QuantileTestResult quantile_test",
            "_rank_groups": "fligner friedmanchisquare kruskal",
            "_rank_scales": "ansari mood",
            "_rank_sums": "brunnermunzel mannwhitneyu ranksums",
            "_signed_ranks": "WilcoxonResult wilcoxon",
            "_smirnov": "KstestResult ks_1samp ks_2samp kstest",
            "_student": "TtestResult ttest_1samp ttest_ind ttest_ind_from_stats ttest_rel",
            "_unconditional": "barnard_exact boschloo_exact",
        },
    )
