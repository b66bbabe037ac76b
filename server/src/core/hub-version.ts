import packageJson from "../../package.json" with { type: "json" };

export const hubVersion: string = packageJson.version;
