import type { Case } from "../script.ts";
import { applyCases } from "./apply.ts";
import { accessCases } from "./auth-access.ts";
import { identityCases } from "./auth-identity.ts";
import { conversionCases } from "./conversions.ts";
import { badMetadataCases, createCases, fieldValidationCases, invalidCases } from "./create.ts";
import { customCases } from "./custom.ts";
import { deleteCases } from "./delete.ts";
import { patchCases } from "./patch.ts";
import { policyCases } from "./policies.ts";
import { quotaCases } from "./quotas.ts";
import { logCases, readCases } from "./read.ts";
import { expressionCases } from "./rule-expressions.ts";
import { ruleCases } from "./rules.ts";
import { updateCases } from "./update.ts";
import { webhookCases } from "./webhooks.ts";

export const cases: readonly Case[] = [
  ...createCases,
  ...badMetadataCases,
  ...fieldValidationCases,
  ...invalidCases,
  ...readCases,
  ...logCases,
  ...updateCases,
  ...patchCases,
  ...applyCases,
  ...deleteCases,
  ...accessCases,
  ...identityCases,
  ...customCases,
  ...policyCases,
  ...quotaCases,
  ...ruleCases,
  ...expressionCases,
  ...webhookCases,
  ...conversionCases,
];
