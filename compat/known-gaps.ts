import sideBySide from "./argocd/side-by-side/known-gaps.json" with { type: "json" };
import argocdCli from "./argocd-cli/known-gaps.json" with { type: "json" };
import argocdEndToEnd from "./argocd-e2e/known-gaps.json" with { type: "json" };
import clients from "./clients/known-gaps.json" with { type: "json" };
import conformance from "./conformance/known-gaps.json" with { type: "json" };
import kpt from "./kpt/known-gaps.json" with { type: "json" };
import kubeApi from "./kube-api/known-gaps.json" with { type: "json" };
import kubeRandom from "./kube-api/random-gaps.json" with { type: "json" };
import operators from "./operators/known-gaps.json" with { type: "json" };

/** Reasons that begin so: what differs depends on the moment, and may agree in one run and not in the next. */
export const unsteady = "Unsteady: ";

/** Name → reason, of files that list names by their reasons. */
function byName(file: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(file).flatMap(([reason, names]) => names.map((name) => [name, reason])),
  );
}

/** Case → why it does not agree yet. A case that agrees again must be struck out; the run fails until it is. */
export const kubeApiGaps = byName(kubeApi);

export interface RandomGap {
  readonly reason: string;
  /** Asked of "<kind> <operation> <what differs>", as compat/kube-api/random.ts prints it. */
  readonly about: RegExp;
}

/** What sequences made at random may disagree in. How many operations met each is printed with every run. */
export const kubeRandomGaps = byPattern(kubeRandom);

/** In what our controller may differ from Argo CD's; asked of "<case> <step>: <what> | <theirs> | <ours>". */
export const sideBySideGaps = byPattern(sideBySide);

function byPattern(file: Readonly<Record<string, readonly string[]>>): readonly RandomGap[] {
  return Object.entries(file).flatMap(([reason, patterns]) =>
    patterns.map((pattern) => ({ reason, about: new RegExp(pattern) })),
  );
}

/** Kubernetes' conformance tests that pass on the real control plane and fail on the embedded cluster → why. */
export const conformanceGaps: Readonly<Record<string, string>> = conformance;

/** "<script>: <command>" of compat/clients → why what it prints differs. */
export const clientGaps = byName(clients);

/** "<script>: <command>" of compat/argocd-cli → why what `argocd` prints differs. */
export const argocdCliGaps = byName(argocdCli);

/** Argo CD's end-to-end tests that pass for the real one and fail here → why. */
export const argocdEndToEndGaps = byName(argocdEndToEnd);

/** Cases of compat/kpt → why what our function does differs. */
export const kptGaps = byName(kpt);

/** Operators and charts of compat/operators → why they are not alike on both clusters. */
export const operatorGaps = byName(operators);
