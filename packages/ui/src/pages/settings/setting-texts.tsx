import type { OutOf, Routes } from "@capstan/wire";
import { DeleteButton, DialogButton, Rightful } from "../../parts/forms/rightful.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { deleteSettingText, useSettingTexts } from "../../queries/places.ts";
import { SettingDialog } from "./setting-dialog.tsx";

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
            dialog={(close) => <SettingDialog map={map} texts={texts} onClose={close} />}
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
        dialog={(close) => <SettingDialog map={map} texts={texts} item={item} onClose={close} />}
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
