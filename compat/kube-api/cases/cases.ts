import type { Case } from "../script.ts";
import { applyCases } from "./apply.ts";
import { authCases } from "./auth.ts";
import { badMetadataCases, createCases, fieldValidationCases, invalidCases } from "./create.ts";
import { deleteCases } from "./delete.ts";
import { patchCases } from "./patch.ts";
import { readCases } from "./read.ts";
import { updateCases } from "./update.ts";

export const cases: readonly Case[] = [
  ...createCases,
  ...badMetadataCases,
  ...fieldValidationCases,
  ...invalidCases,
  ...readCases,
  ...updateCases,
  ...patchCases,
  ...applyCases,
  ...deleteCases,
  ...authCases,
];
