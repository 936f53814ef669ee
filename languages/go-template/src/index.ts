export { define, defineRest, type GoFunction, type GoFunctions } from "./execute/functions.ts";
export type { MissingKey } from "./execute/run.ts";
export { toJson } from "./functions/print-json.ts";
export { sprig } from "./functions/sprig.ts";
export { type ExecuteOptions, GoTemplate, type TemplateOptions } from "./go-template.ts";
export { TemplateError } from "./template-error.ts";
export { GoCallable, GoInt, GoList, GoMap, GoStruct, GoTime, toValue, type Value } from "./values/value.ts";
