import kubeApi from "./kube-api/known-gaps.json" with { type: "json" };

/** Reasons that begin so: what differs depends on the moment, and may agree in one run and not in the next. */
export const unsteady = "Unsteady: ";

/** Case → why it does not agree yet. A case that agrees again must be struck out; the run fails until it is. */
export const kubeApiGaps: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(kubeApi).flatMap(([reason, names]) => names.map((name) => [name, reason])),
);
