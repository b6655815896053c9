"""The stages at which points are lost, by the codes of their names."""

from typing import Final

from steelyard.reports import losses

ALL_POINTS: Final = "stages.all_points"
EARNED: Final = "stages.earned"
STAGES: Final = {
    losses.FAILED: "stages.failed",
    losses.NOT_RETRIEVED: "stages.not_retrieved",
    losses.NOT_CITED: "stages.not_cited",
    losses.WRONG_PLACE: "stages.wrong_place",
    losses.WRONG_VALUE: "stages.wrong_value",
    losses.REFUSED: "stages.refused",
    losses.NOT_REFUSED: "stages.not_refused",
    losses.INVENTED: "stages.invented",
    losses.UNEXPLAINED: "stages.unexplained",
}
