import { setTheme, themes, useTheme } from "../../parts/theme.ts";
import { LinkList } from "../../primitives/link-list.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { useSettingsReport } from "../../queries/places.ts";
import { useSettings, useUser, useVersion } from "../../queries/session.ts";
import { SettingTexts } from "./setting-texts.tsx";
import { SettingsFrame } from "./settings-parts.tsx";

type Settings = NonNullable<ReturnType<typeof useSettings>["data"]>;

export function SettingsPage() {
  const user = useUser().data;
  const version = useVersion().data;
  const settings = useSettings().data;
  const theme = useTheme();
  const facts = [
    { name: "Signed in as", value: user?.username },
    { name: "Version", value: version?.Version },
    { name: "Helm", value: version?.HelmVersion },
    { name: "Kustomize", value: version?.KustomizeVersion },
    {
      name: "Cluster",
      value:
        settings &&
        (settings.simulatedCluster ? "embedded and simulated: no container runs" : "as configured"),
    },
    { name: "Address", value: settings?.url },
    { name: "Tracking", value: settings?.trackingMethod },
  ].filter(({ value }) => value);
  return (
    <SettingsFrame>
      <div className="listing">
        <h1>Settings</h1>
        <fieldset className="choices-list">
          <legend>Theme</legend>
          {themes.map((name) => (
            <label key={name} className="check">
              <input type="radio" name="theme" checked={theme === name} onChange={() => setTheme(name)} />
              <span>{name === "auto" ? "as the system" : name}</span>
            </label>
          ))}
        </fieldset>
        <h2>This server</h2>
        <dl className="fact-list">
          {facts.map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {settings && <Help {...settings} />}
        <SettingTexts map="argocd-cm" />
        <NotHonoured />
      </div>
    </SettingsFrame>
  );
}

/** Where the operator sends people for help, and for the command line. */
function Help({ help: { chatUrl, chatText, binaryUrls = {} } }: Pick<Settings, "help">) {
  const downloads = Object.entries(binaryUrls).sort(([one], [other]) => (one < other ? -1 : 1));
  const links = [
    ...(chatUrl ? [{ title: chatText ?? chatUrl, url: chatUrl }] : []),
    ...downloads.map(([platform, url]) => ({ title: `Command line for ${platform}`, url })),
  ];
  if (links.length === 0) return null;
  return (
    <>
      <h2>Help</h2>
      <p>
        <LinkList links={links} />
      </p>
    </>
  );
}

/** What the installation and its applications set in vain. */
function NotHonoured() {
  const query = useSettingsReport();
  return (
    <Listing
      title="Not honoured"
      level="part"
      query={query}
      items={query.data?.items}
      keyOf={({ where, setting, note }) => where + setting + note}
      columns={[
        { label: "Where", cell: ({ where }) => where },
        { label: "Setting", cell: ({ setting }) => setting },
        {
          label: "What follows",
          cell: ({ note, blocks }) => (
            <span className="cell-text">
              {blocks && <strong>blocks sync: </strong>}
              {note}
            </span>
          ),
        },
      ]}
      empty={<p className="dim">Everything that is set is honoured.</p>}
    />
  );
}
