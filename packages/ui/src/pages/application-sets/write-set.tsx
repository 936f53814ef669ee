import { type ApplicationSet, isApplicationSet } from "@capstan/model";
import { YamlDialog } from "../../parts/forms/lazy-yaml.tsx";
import { DialogButton } from "../../parts/forms/rightful.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { writeApplicationSet } from "../../queries/application-sets.ts";
import { WantedPreview } from "./set-preview.tsx";

interface Props {
  start: string;
  label: string;
  right: "create" | "update";
  object: string;
}

/** A set as YAML, with what it would make, change and delete before it is written. */
export function WriteSet({ start, label, right, object }: Props) {
  return (
    <DialogButton
      right={{ resource: "applicationsets", action: right, object }}
      label={label}
      look="primary"
      dialog={(close) => (
        <YamlDialog
          title={
            right === "create"
              ? "New ApplicationSet"
              : `ApplicationSet ${object.slice(object.indexOf("/") + 1)}`
          }
          schema="application-set"
          verb="Write the set"
          start={start}
          onClose={close}
          preview={(value) => <Preview value={value} />}
          submit={(value) => writeApplicationSet(setIn(value), right === "update")}
        />
      )}
    />
  );
}

function Preview({ value }: { value: unknown }) {
  return isApplicationSet(value) ? (
    <WantedPreview wanted={value} />
  ) : (
    <Problem title="There is nothing to preview" failure={noSet} />
  );
}

const noSet =
  "This is no ApplicationSet: apiVersion, kind, metadata.name, spec.generators and spec.template.";

function setIn(value: unknown): ApplicationSet {
  if (!isApplicationSet(value)) throw new Error(noSet);
  return value;
}
