import type { RepositoryCertificate } from "@capstan/wire";
import { FormDialog, type FormValues } from "../../parts/forms/form-dialog.tsx";
import { DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { createCertificates, deleteCertificate, useCertificates } from "../../queries/places.ts";
import { SettingsFrame } from "./settings-parts.tsx";

const right = (action: string) => ({ resource: "certificates", action, object: "*" });

export function CertificatesPage() {
  const query = useCertificates();
  return (
    <SettingsFrame>
      <Listing
        title="Certificates and known hosts"
        query={query}
        items={query.data && (query.data.items ?? [])}
        keyOf={({ serverName, certType, certSubType, certInfo }) =>
          `${serverName} ${certType} ${certSubType} ${certInfo}`
        }
        actions={
          <DialogButton
            right={right("create")}
            label="Add…"
            look="primary"
            dialog={(close) => <AddCertificates onClose={close} />}
          />
        }
        columns={[
          { label: "Host", cell: ({ serverName }) => serverName },
          { label: "For", cell: ({ certType }) => certType },
          { label: "Kind", cell: ({ certSubType }) => certSubType },
          { label: "What it is", cell: ({ certInfo }) => <code>{certInfo}</code> },
          { label: "", cell: (one) => <DeleteCertificate one={one} /> },
        ]}
        empty={<p>Hosts are trusted as the system trusts them.</p>}
      />
    </SettingsFrame>
  );
}

function DeleteCertificate({ one }: { one: RepositoryCertificate }) {
  const { serverName = "", certType = "", certSubType = "" } = one;
  // Certificates of one host are kept together.
  const selection = { serverName, certType, certSubType: certType === "ssh" ? certSubType : "" };
  return (
    <DeleteButton
      right={right("delete")}
      what={certType === "ssh" ? `${certSubType} of ${serverName}` : `the certificates of ${serverName}`}
      consequence="Repositories of that host are trusted from then on as the system trusts them, or not at all."
      act={() => deleteCertificate(selection)}
    />
  );
}

function AddCertificates({ onClose }: { onClose(): void }) {
  return (
    <FormDialog
      title="Trust a host"
      verb="Trust it"
      start={{ certType: "https" }}
      fields={[
        { name: "certType", label: "For", kind: ["https", "ssh"] },
        { name: "serverName", label: "Host", required: true, when: ({ certType }) => certType === "https" },
        { name: "pem", label: "Certificate", kind: "text", required: true, hint: "PEM", when: isHttps },
        {
          name: "lines",
          label: "Lines of known_hosts",
          kind: "text",
          required: true,
          hint: "As ssh-keyscan prints them",
          when: (values) => !isHttps(values),
        },
      ]}
      onClose={onClose}
      submit={async (values) => {
        await createCertificates(certificatesOf(values));
      }}
    />
  );
}

const isHttps = ({ certType }: FormValues) => certType === "https";

function certificatesOf(values: FormValues): RepositoryCertificate[] {
  const { serverName = "", pem = "", lines = "" } = values;
  if (isHttps(values)) return [{ serverName, certType: "https", certData: btoa(pem) }];
  return lines.split("\n").flatMap((line) => {
    const [host, certSubType, key] = line.trim().split(/\s+/);
    if (!host || host.startsWith("#")) return [];
    if (!certSubType || !key) throw new Error(`"${line}" is no line of known_hosts: host, kind and key`);
    return [{ serverName: host, certType: "ssh", certSubType, certData: btoa(key) }];
  });
}
