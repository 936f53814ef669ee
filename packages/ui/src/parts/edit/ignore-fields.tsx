import type { Application } from "@capstan/model";
import { Button } from "../../primitives/button.tsx";
import { ListEditor, RemoveRow } from "../forms/row-editors.tsx";
import { FormField } from "./form-field.tsx";

interface Props {
  app: Application;
  onChange(app: Application): void;
}

type Rule = NonNullable<Application["spec"]["ignoreDifferences"]>[number];

const names = ["group", "kind", "name", "namespace"] as const;
const words = { group: "Group", kind: "Kind", name: "Object", namespace: "In namespace" };
const lists = [
  ["jsonPointers", "JSON pointers"],
  ["jqPathExpressions", "jq expressions"],
  ["managedFieldsManagers", "Field managers"],
] as const;

/** What may differ between git and the cluster without being a difference. */
export function IgnoreFields({ app, onChange }: Props) {
  const rules = app.spec.ignoreDifferences ?? [];
  const put = (changed: Rule[]) => {
    const { ignoreDifferences: _before, ...spec } = app.spec;
    onChange({ ...app, spec: changed.length === 0 ? spec : { ...spec, ignoreDifferences: changed } });
  };
  return (
    <fieldset>
      <legend>Differences that are none</legend>
      {rules.map((rule, index) => (
        <IgnoreRule
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place; two may be equal
          key={index}
          place={index + 1}
          rule={rule}
          onChange={(changed) => put(rules.with(index, changed))}
          onRemove={() => put(rules.toSpliced(index, 1))}
        />
      ))}
      <Button icon="plus" onClick={() => put([...rules, { kind: "" }])}>
        Ignore a field
      </Button>
    </fieldset>
  );
}

interface RuleProps {
  place: number;
  rule: Rule;
  onChange(rule: Rule): void;
  onRemove(): void;
}

function IgnoreRule({ place, rule, onChange, onRemove }: RuleProps) {
  const put = (name: keyof Rule, value: string | string[]) => {
    const { [name]: _before, ...others } = rule;
    const isKept = value.length > 0 || name === "kind";
    onChange(isKept ? { ...others, kind: rule.kind, [name]: value } : { ...others, kind: rule.kind });
  };
  return (
    <div className="patch">
      <div className="field-pair">
        {names.map((name) => (
          <FormField
            key={name}
            label={words[name]}
            value={rule[name] ?? ""}
            required={name === "kind"}
            onChange={(value) => put(name, value)}
          />
        ))}
      </div>
      {lists.map(([name, label]) => (
        <div key={name} className="labelled-list">
          <span className="field-title">{label}</span>
          <ListEditor
            label={`${label} of rule ${place}`}
            value={rule[name] ?? []}
            onChange={(value) => put(name, value)}
          />
        </div>
      ))}
      <RemoveRow what={`rule ${place}`} onRemove={onRemove} />
    </div>
  );
}
