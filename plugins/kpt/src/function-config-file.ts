import { type MappingNode, mapping, readYaml } from "@capstan/krm-yaml";
import { CapstanError, describeFailure } from "@capstan/model";
import { notKrm } from "./item.ts";
import { PackageError } from "./trace-error.ts";

/** The one object that a file configures a function with; `path` as errors name it (api/kptfile/v1 GetValidatedFnConfigFromPath). */
export function readFunctionConfig(path: string, content: string): MappingNode {
  const quoted = JSON.stringify(path);
  const documents = readDocuments(path, content);
  const [first] = documents;
  if (!first)
    throw new PackageError(
      `functionConfig ${quoted} is empty: it must hold an object with apiVersion and kind`,
    );
  if (documents.length > 1)
    throw new PackageError(
      `functionConfig ${quoted} must not contain more than one config, got ${documents.length}`,
    );
  const { root } = first;
  if (root.kind === "scalar")
    throw new PackageError(
      `failed to read functionConfig ${quoted}: [0]: wrong node kind: expected MappingNode but got ScalarNode: node contents:\n${root.value}\n`,
    );
  const object = root.kind === "mapping" ? root : mapping();
  const problem = notKrm({ root: object, head: "", foot: "" });
  if (problem !== undefined) throw new PackageError(`functionConfig ${quoted}: ${problem}`);
  return object;
}

function readDocuments(path: string, content: string) {
  try {
    return readYaml(path, content);
  } catch (error) {
    if (!(error instanceof CapstanError)) throw error;
    throw new PackageError(
      `failed to read functionConfig ${JSON.stringify(path)}: ${describeFailure(error.failure)}`,
    );
  }
}
