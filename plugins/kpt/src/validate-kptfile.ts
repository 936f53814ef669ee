import { readFunctionConfig } from "./function-config-file.ts";
import type { FunctionSpec, Kptfile } from "./kptfile.ts";
import { join, type PackageFiles } from "./package-tree.ts";
import { PackageError } from "./trace-error.ts";

interface Invalid {
  field: string;
  value?: string;
  reason: string;
}

/** kpt's words for a Kptfile that cannot be run (api/kptfile/v1/validation.go ValidateError). */
export function invalidKptfile({ field, value, reason }: Invalid): PackageError {
  const shown = value === undefined || value === "" ? "" : `Value: ${JSON.stringify(value)}\n`;
  return new PackageError(`Kptfile is invalid:\nField: \`${field}\`\n${shown}Reason: ${reason}\n`);
}

interface PackagePlace {
  files: PackageFiles;
  /** From the root package. */
  pkg: string;
  /** Its directory as errors name it. */
  shown: string;
}

/** Every function must name what runs it, and a configuration that is in the package. */
export function validateKptfile({ mutators, validators }: Kptfile, place: PackagePlace): void {
  const validate = (one: FunctionSpec, field: string): void => {
    try {
      validateFunction(one, field, place);
    } catch (error) {
      if (!(error instanceof PackageError)) throw error;
      const { message } = error;
      throw new PackageError(message, `invalid pipeline: function ${JSON.stringify(one.image)}: ${message}`);
    }
  };
  for (const [at, one] of mutators.entries()) validate(one, `pipeline.mutators[${at}]`);
  for (const [at, one] of validators.entries()) validate(one, `pipeline.validators[${at}]`);
}

const imageReference =
  /^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])(?::\d+)?\/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$/;

function validateFunction(
  { image, exec, configMap, configPath }: FunctionSpec,
  field: string,
  place: PackagePlace,
): void {
  if (image === "" && exec === "")
    throw invalidKptfile({ field, reason: "must specify a functon (`image` or `exec`) to execute" });
  if (image !== "" && exec !== "")
    throw invalidKptfile({ field, reason: "must not specify both `image` and `exec` at the same time" });
  if (image !== "" && !imageReference.test(image)) {
    const reason = `function image reference ${JSON.stringify(image)} is invalid: invalid reference format`;
    throw invalidKptfile({ field: `${field}.image`, value: image, reason });
  }
  if (configMap.size > 0 && configPath !== "") {
    const reason = "functionConfig must not specify both `configMap` and `configPath` at the same time";
    throw invalidKptfile({ field, reason });
  }
  if (configPath === "") return;
  const reason = configPathProblem(configPath) ?? configProblem(configPath, place);
  if (reason !== undefined) throw invalidKptfile({ field: `${field}.configPath`, value: configPath, reason });
}

function configPathProblem(path: string): string | undefined {
  if (path.trim() === "") return "path must not be empty";
  if (path.startsWith("/")) return "path must be relative";
  // A configuration elsewhere would let a package read any file of its reader's machine.
  return cleanPath(path).includes("..") ? "path must not be outside the package" : undefined;
}

function configProblem(path: string, { files, pkg, shown }: PackagePlace): string | undefined {
  const content = files.get(join(pkg, cleanPath(path)));
  if (content === undefined)
    return `failed to open functionConfig from path ${JSON.stringify(path)}: open ${shown}/${cleanPath(path)}: no such file or directory`;
  try {
    readFunctionConfig(path, content);
    return undefined;
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    return error.message;
  }
}

/** Without "." and inner "..", as Go's filepath.Clean leaves it. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (part !== ".." || !path.startsWith("/")) parts.push(part);
  }
  const joined = parts.join("/");
  return path.startsWith("/") ? `/${joined}` : joined === "" ? "." : joined;
}
