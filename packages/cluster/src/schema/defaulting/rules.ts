import type { JsonObject } from "../json.ts";
import { autoscalingDefaults } from "./autoscaling.ts";
import { clusterDefaults } from "./cluster.ts";
import { podDefaults } from "./pod.ts";
import { serviceDefaults } from "./service.ts";
import { storageDefaults } from "./storage.ts";
import { workloadDefaults } from "./workload.ts";

/**
 * Changes its argument, a fresh copy of one struct whose nested values still belong to the caller. Runs before
 * the static defaults of the struct and of what is below it.
 */
export type ConditionalDefault = (fields: JsonObject) => void;

/** By type name; tools/generate-kube-schemas.ts prints the list of what has to be covered here. */
export const conditionalDefaults: Readonly<Record<string, ConditionalDefault>> = {
  ...workloadDefaults,
  ...podDefaults,
  ...serviceDefaults,
  ...storageDefaults,
  ...autoscalingDefaults,
  ...clusterDefaults,
};
