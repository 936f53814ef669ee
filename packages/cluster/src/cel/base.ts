import { Environment } from "@marcbachmann/cel-js";
import { FormatValue, formatFunctions, formatType } from "./format-functions.ts";
import { registerHas } from "./has-macro.ts";
import { listFunctions, setFunctions } from "./list-functions.ts";
import {
  AddressValue,
  addressType,
  BlockValue,
  blockType,
  networkFunctions,
  UrlValue,
  urlType,
} from "./network-functions.ts";
import { noteFunctions } from "./problem.ts";
import { QuantityValue, quantityFunctions, quantityType } from "./quantity-functions.ts";
import { textFunctions } from "./text-functions.ts";

class SetsNamespace {}
class FormatNamespace {}

let made: Environment | undefined;

/** The language with Kubernetes' library (apiserver pkg/cel/environment/base.go): to be cloned, never added to. */
export function baseEnvironment(): Environment {
  made ??= makeBase();
  return made;
}

function makeBase(): Environment {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  const types = [
    [quantityType, QuantityValue],
    [addressType, AddressValue],
    [blockType, BlockValue],
    [urlType, UrlValue],
    ["SetsNamespace", SetsNamespace],
    ["FormatNamespace", FormatNamespace],
    [formatType, FormatValue],
  ] as const;
  for (const [name, ctor] of types) environment.registerType(name, { ctor, fields: {} });
  environment.registerConstant("sets", "SetsNamespace", new SetsNamespace());
  environment.registerConstant("format", "FormatNamespace", new FormatNamespace());
  environment.registerOperator(
    `${quantityType} == ${quantityType}`,
    (a: QuantityValue, b: QuantityValue) => a.nanos === b.nanos,
  );
  environment.registerOperator(
    `${addressType} == ${addressType}`,
    (a: AddressValue, b: AddressValue) => a.text === b.text,
  );
  environment.registerOperator(`${urlType} == ${urlType}`, (a: UrlValue, b: UrlValue) => a.text === b.text);
  environment.registerOperator(
    `${blockType} == ${blockType}`,
    (a: BlockValue, b: BlockValue) => a.prefix === b.prefix && a.address.text === b.address.text,
  );
  environment.registerOperator("google.protobuf.Timestamp == null", (time: unknown) => time === null);
  environment.registerOperator("google.protobuf.Duration == null", (time: unknown) => time === null);
  environment.registerOperator("optional<dyn> == null", (one: unknown) => one === null);
  registerHas(environment);
  const tables = [
    textFunctions,
    listFunctions,
    setFunctions,
    quantityFunctions,
    networkFunctions,
    formatFunctions,
  ];
  for (const table of tables)
    for (const [signature, handler] of Object.entries(table))
      environment.registerFunction(signature, handler, {});
  noteFunctions(environment.getDefinitions().functions.map(({ name }) => name));
  return environment;
}
