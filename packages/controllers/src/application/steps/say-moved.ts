import { type ComparedRun, setConditions } from "../application-run.ts";
import { movedRevisions } from "../moved-revisions.ts";

/** Says where a tag or a chart's version means something else than when it was deployed. */
export function sayMoved({ run, desired }: ComparedRun): void {
  const found = movedRevisions(run.draft, desired).map((message) => ({
    type: "RevisionMovedWarning" as const,
    message,
  }));
  setConditions(run, ["RevisionMovedWarning"], found);
}
