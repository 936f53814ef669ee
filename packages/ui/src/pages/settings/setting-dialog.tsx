import type { OutOf, Routes } from "@capstan/wire";
import { type FormEvent, useId, useState } from "react";
import { Diff } from "../../parts/code/lazy-code.tsx";
import { tell } from "../../parts/notices.tsx";
import { YamlEditor } from "../../parts/yaml/yaml-editor.tsx";
import { Button } from "../../primitives/button.tsx";
import { Dialog } from "../../primitives/dialog.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { writeSettingText } from "../../queries/places.ts";
import { schemaOfSetting } from "./schema-of-setting.ts";

type Texts = OutOf<Routes["readSettingTexts"]>;

interface Props {
  /** Name of the ConfigMap. */
  map: string;
  texts: Texts;
  /** One that is there; without it a new one. */
  item?: Texts["items"][number];
  onClose(): void;
}

const verb = "Write it";

/** Written on top of what was read when it opened: what somebody else wrote meanwhile is not lost. */
export function SettingDialog({ map, texts, item, onClose }: Props) {
  const [{ resourceVersion, writable, schemas }] = useState(texts);
  const [before] = useState(item?.text ?? "");
  const [setting, setSetting] = useState(item?.setting ?? "");
  const [text, setText] = useState(before);
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setIsBusy] = useState(false);
  const id = useId();
  const isHidden = item !== undefined && item.text === undefined;
  const write = async (event: FormEvent) => {
    event.preventDefault();
    setIsBusy(true);
    setFailure(undefined);
    try {
      const { warnings } = await writeSettingText(map, setting.trim(), { text, resourceVersion });
      tell([`Written: ${setting.trim()}`, ...(warnings ?? [])].join("; "));
      onClose();
    } catch (problem) {
      setFailure(problem);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      title={item ? item.setting : `New setting of ${map}`}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form={id} busy={isBusy}>
            {verb}
          </Button>
        </>
      }
    >
      <form id={id} className="form-fields" onSubmit={write}>
        {!item && <NameField value={setting} onChange={setSetting} names={choices(writable, schemas)} />}
        <YamlEditor
          label="Text"
          text={text}
          schema={schemaOfSetting(schemas, setting.trim())}
          onChange={setText}
        />
        <p className="hint">
          {isHidden ? "What it says now is not shown: write all of it" : "As it stands in the ConfigMap"}
        </p>
      </form>
      {failure !== undefined && <Problem title={`Could not: ${verb.toLowerCase()}`} failure={failure} />}
      {before !== "" && text !== before && (
        <Diff before={before} after={text} label={item?.setting ?? map} sideBySide={false} />
      )}
    </Dialog>
  );
}

/** Services are offered by their types. */
function choices(writable: readonly string[], schemas: Texts["schemas"] | undefined): string[] {
  const services = Object.keys(schemas ?? {}).filter((name) => name.startsWith("service."));
  return [...writable.filter((name) => services.length === 0 || name !== "service."), ...services];
}

interface NameFieldProps {
  value: string;
  names: readonly string[];
  onChange(value: string): void;
}

function NameField({ value, names, onChange }: NameFieldProps) {
  const id = useId();
  return (
    <label className="field">
      <span>Setting</span>
      <input
        required
        autoComplete="off"
        list={id}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <span className="hint">One of those that are offered; where it ends in a dot its name follows</span>
    </label>
  );
}
