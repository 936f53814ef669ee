/** A file that makers of helm or kubectl publish for one platform. */
export interface OfficialBuild {
  readonly tool: "helm" | "kubectl";
  /** Without scheme. */
  readonly place: string;
  /** Of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** Of the program in it, where the file is an archive (tar, gzip). */
  readonly member?: string;
}

/** Those versions that the npm package for Linux on x64 has: the same program everywhere. */
const [helm, kubectl] = ["v4.1.4", "v1.34.5"];

/** By platform and processor as Node calls them: sums of the archive and of the program, as their release notes say. */
const sums: Readonly<Record<string, { helm: string; kubectl: string }>> = {
  "linux-x64": {
    helm: "70b2c30a19da4db264dfd68c8a3664e05093a361cefd89572ffb36f8abfa3d09",
    kubectl: "6a17dd8387783b3144a65535e38d02c351027e9718ea34a6c360476cb26d28bb",
  },
  "linux-arm64": {
    helm: "13d03672be289045d2ff00e4e345d61de1c6f21c1257a45955a30e8ae036d8f1",
    kubectl: "2d433b53b99ea532f877df6fa5044286e3950d4933967ac3d99262760bc649fd",
  },
  "darwin-x64": {
    helm: "abf09c8503ad1d8ef76d3737a058c3456a998aae5f5966fce4bb3031aeb1654e",
    kubectl: "61ccfd05992fcc1135818d25691e55997155e914c98b704df7ddd542339a93cb",
  },
  "darwin-arm64": {
    helm: "7c2eca678e8001fa863cdf8cbf6ac1b3799f9404a89eb55c08260ef5732e658d",
    kubectl: "0c0b575db594e0f8842aa44e5d36b224bb9f8bf4b92cd34c0547d29b61a0277f",
  },
};

/** Nothing for a platform that Capstan does not run on. */
export function officialBuilds(platform: string, processor: string): OfficialBuild[] {
  const known = sums[`${platform}-${processor}`];
  if (known === undefined) return [];
  const architecture = processor === "x64" ? "amd64" : processor;
  return [
    {
      tool: "helm",
      place: `get.helm.sh/helm-${helm}-${platform}-${architecture}.tar.gz`,
      sha256: known.helm,
      member: `${platform}-${architecture}/helm`,
    },
    {
      tool: "kubectl",
      place: `dl.k8s.io/release/${kubectl}/bin/${platform}/${architecture}/kubectl`,
      sha256: known.kubectl,
    },
  ];
}
