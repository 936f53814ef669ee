import type { Case } from "../case.ts";
import { comparisonCases } from "./comparison-cases.ts";
import { orderCases } from "./order-cases.ts";
import { pruneCases } from "./prune-cases.ts";
import { serverSideCases } from "./server-side-cases.ts";

/** That pick at the rules. */
export const ruleCases: readonly Case[] = [
  ...orderCases,
  ...pruneCases,
  ...comparisonCases,
  ...serverSideCases,
];
