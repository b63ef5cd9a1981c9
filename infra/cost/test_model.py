"""The cost model against sums done by hand. Run: python3 -m unittest discover infra/cost"""

import unittest

import model

PRICES = {
    "lambda_gb_second": {"arm64": 0.00001},
    "lambda_million_requests": 0.2,
    "s3_thousand_gets": 0.0004,
    "cloudfront_gb_out": 0.1,
    "cloudfront_ten_thousand_requests": 0.01,
    "cloudfront_million_function_calls": 0.1,
    "origin_shield_ten_thousand_requests": 0.01,
}
WORK = model.Work("it", 1024, "arm64", cpu_ms=10, gets=4, waits=2, read_bytes=750_000, answer_bytes=50_000, cold_ms=100)
STILL = model.Place(hit_ratio=0.5, store_ms=20, bandwidth_mbit=600, cold_share=0)


class Model(unittest.TestCase):
    def test_at_one_vcpu_a_miss_is_cpu_plus_waits_plus_transfer(self):
        # 10 + 2 × 20 + 750 kB × 8 / 600 Mbit/s = 10 + 40 + 10
        self.assertAlmostEqual(model.billed_ms(WORK, STILL, 1769), 60)

    def test_more_memory_than_a_vcpu_is_no_faster_and_less_is_slower_in_cpu_alone(self):
        self.assertAlmostEqual(model.billed_ms(WORK, STILL, 3538), 60)
        self.assertAlmostEqual(model.billed_ms(WORK, STILL, 1769 / 2), 70)

    def test_cold_starts_are_shared_out(self):
        self.assertAlmostEqual(model.billed_ms(WORK, model.Place(store_ms=20, cold_share=0.01), 1769), 61)

    def test_only_misses_are_rendered_and_every_tile_is_sent(self):
        cost = model.per_million(WORK, STILL, PRICES, 1769)
        # 500,000 misses of 60 ms at 1769 / 1024 GB, and half a million invocations
        self.assertAlmostEqual(cost["Lambda"], 500_000 * 0.060 * 1769 / 1024 * 0.00001 + 0.1)
        self.assertAlmostEqual(cost["S3 reads"], 2_000_000 / 1000 * 0.0004)
        self.assertAlmostEqual(cost["Origin Shield"], 0.5)
        self.assertAlmostEqual(cost["CloudFront requests"], 1.0)
        self.assertAlmostEqual(cost["CloudFront bytes"], 5.0)

    def test_what_was_measured_under_a_quota_is_billed_as_it_took(self):
        under_quota = {"it": {"512": {"first_ms": 90.0, "p50_ms": 40.0, "p95_ms": 50.0}}}
        # A million of 40 ms at half a GB
        self.assertIn("| 512 MB | 90 ms | 40 ms | 50 ms | $0.20 |", model.by_quota(under_quota, [WORK], PRICES))

    def test_the_least_memory_that_is_within_a_tenth_is_enough(self):
        rows = {"128": {"p50_ms": 90.0}, "512": {"p50_ms": 44.0}, "1769": {"p50_ms": 40.0}, "1024": {"p50_ms": 41.0}}
        self.assertEqual(model.enough_mb(rows, "p50_ms"), 512)

    def test_an_edge_that_has_everything_renders_nothing(self):
        cost = model.per_million(WORK, model.Place(hit_ratio=1), PRICES)
        self.assertEqual((cost["Lambda"], cost["S3 reads"], cost["Origin Shield"]), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
