import type { GoFunctions } from "../execute/functions.ts";
import { dateFunctions } from "./dates.ts";
import { defaultFunctions } from "./defaults.ts";
import { dictFunctions } from "./dicts.ts";
import { encodingFunctions } from "./encodings.ts";
import { listFunctions } from "./lists.ts";
import { numberFunctions } from "./numbers.ts";
import { pathFunctions } from "./paths.ts";
import { regexFunctions } from "./regexes.ts";
import { secretFunctions } from "./secrets.ts";
import { stringFunctions } from "./strings.ts";
import { versionFunctions } from "./versions.ts";

/**
 * The functions of Masterminds/sprig v3 (GenericFuncMap), without what reads the machine: env, expandenv and
 * getHostByName, which Argo CD leaves out too.
 */
export const sprig: GoFunctions = {
  ...stringFunctions,
  ...numberFunctions,
  ...listFunctions,
  ...dictFunctions,
  ...defaultFunctions,
  ...dateFunctions,
  ...encodingFunctions,
  ...pathFunctions,
  ...regexFunctions,
  ...secretFunctions,
  ...versionFunctions,
};
