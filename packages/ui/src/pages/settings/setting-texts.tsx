import type { OutOf, Routes } from "@capstan/wire";
import { useState } from "react";
import { FormDialog, type FormField } from "../../parts/forms/form-dialog.tsx";
import { DeleteButton, DialogButton, Rightful } from "../../parts/forms/rightful.tsx";
import { tell } from "../../parts/notices.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { deleteSettingText, useSettingTexts, writeSettingText } from "../../queries/places.ts";

type Texts = OutOf<Routes["readSettingTexts"]>;
type Item = Texts["items"][number];

interface Props {
  /** Name of the ConfigMap. */
  map: string;
}

const rightTo = (map: string) => ({ resource: "settings", action: "update", object: map });

/** What of a ConfigMap may be written here, for whoever may. */
export function SettingTexts({ map }: Props) {
  return (
    <Rightful right={rightTo(map)}>
      <Writable map={map} />
    </Rightful>
  );
}

function Writable({ map }: Props) {
  const query = useSettingTexts(map);
  const texts = query.data;
  return (
    <Listing
      title={`What stands in ${map}`}
      level="part"
      query={query}
      items={texts && (texts.items ?? [])}
      keyOf={({ setting }) => setting}
      actions={
        texts && (
          <DialogButton
            right={rightTo(map)}
            label="New setting…"
            dialog={(close) => <TextDialog map={map} texts={texts} onClose={close} />}
          />
        )
      }
      columns={[
        { label: "Setting", cell: ({ setting }) => <code>{setting}</code> },
        { label: "Says", cell: ({ text }) => <Beginning text={text} /> },
        { label: "", cell: (item) => texts && <ItemActions map={map} texts={texts} item={item} /> },
      ]}
      empty={<p className="dim">None of those that can be written here is set.</p>}
    />
  );
}

const longest = 60;

function Beginning({ text }: { text: string | undefined }) {
  if (text === undefined) return <span className="dim">not shown: it may hold a secret</span>;
  const line = text.trim().split("\n", 1)[0] ?? "";
  return <span className="dim">{line.length > longest ? `${line.slice(0, longest)}…` : line}</span>;
}

interface ItemProps extends Props {
  texts: Texts;
  item: Item;
}

function ItemActions({ map, texts, item }: ItemProps) {
  const { setting } = item;
  return (
    <>
      <DialogButton
        right={rightTo(map)}
        label="Edit…"
        about={setting}
        dialog={(close) => <TextDialog map={map} texts={texts} item={item} onClose={close} />}
      />
      <DeleteButton
        right={rightTo(map)}
        what={setting}
        consequence={`It is taken out of ConfigMap ${map}, and counts no more from then on.`}
        act={() => deleteSettingText(map, setting, texts.resourceVersion)}
      />
    </>
  );
}

interface DialogProps extends Props {
  texts: Texts;
  /** One that is there; without it a new one. */
  item?: Item;
  onClose(): void;
}

/** Written on top of what was read when it opened: what somebody else wrote meanwhile is not lost. */
function TextDialog({ map, texts, item, onClose }: DialogProps) {
  const [{ resourceVersion }] = useState(texts);
  const names = texts.writable.map((name) => (name.endsWith(".") ? `${name}NAME` : name)).join(", ");
  const isHidden = item !== undefined && item.text === undefined;
  const nameField: FormField = {
    name: "setting",
    label: "Setting",
    required: true,
    hint: `One of ${names}`,
  };
  const textField: FormField = {
    name: "text",
    label: "Text",
    kind: "text",
    required: true,
    hint: isHidden ? "What it says now is not shown: write all of it" : "As it stands in the ConfigMap",
  };
  return (
    <FormDialog
      title={item ? item.setting : `New setting of ${map}`}
      verb="Write it"
      fields={item ? [textField] : [nameField, textField]}
      start={{ text: item?.text ?? "" }}
      onClose={onClose}
      submit={async ({ setting = item?.setting ?? "", text = "" }) => {
        const given = { text, resourceVersion };
        const { warnings } = await writeSettingText(map, setting.trim(), given);
        tell([`Written: ${setting}`, ...(warnings ?? [])].join("; "));
      }}
    />
  );
}
