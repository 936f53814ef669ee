import type { KubeObject } from "../../types.ts";
import { numberAt } from "../json.ts";
import { notNegative } from "./names.ts";
import type { Report } from "./report.ts";

export type CountRule = (report: Report, object: KubeObject, previous: KubeObject | undefined) => void;

interface Counts {
  notNegative: readonly string[];
  /** At most status.replicas. */
  ofReplicas?: readonly string[];
  /** What is said of more available than ready replicas. */
  ready?: string;
  /** status.collisionCount never goes back. */
  collisions?: boolean;
}

export const counts =
  (rule: Counts): CountRule =>
  (report, { status }, previous) => {
    for (const name of rule.notNegative) {
      const count = numberAt(status, name);
      if (count !== undefined && count < 0) report.invalid(`status.${name}`, count, notNegative);
    }
    const of = (name: string): number => numberAt(status, name) ?? 0;
    for (const name of rule.ofReplicas ?? [])
      if (of(name) > of("replicas"))
        report.invalid(`status.${name}`, of(name), "cannot be greater than status.replicas");
    if (rule.ready !== undefined && of("availableReplicas") > of("readyReplicas"))
      report.invalid("status.availableReplicas", of("availableReplicas"), rule.ready);
    const known = numberAt(previous, "status", "collisionCount");
    if (rule.collisions && known !== undefined && of("collisionCount") < known)
      report.invalid("status.collisionCount", of("collisionCount"), "cannot be decremented");
  };

const replicated = ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"];

export const ready = "cannot be greater than readyReplicas";

export const replicaSetStatus = counts({
  notNegative: ["replicas", ...replicated, "observedGeneration", "terminatingReplicas"],
  ofReplicas: replicated,
  ready,
});
