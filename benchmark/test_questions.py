"""One test per question."""


def test_question(question, results, request):
    found = results[question]
    assert found["error"] is None, found["error"]
    assert 0.0 <= found["score"] <= 1.0
    if request.config.getoption("--system"):
        assert found["passed"], f"{found['score']:.2f}: {found['reason']}"
