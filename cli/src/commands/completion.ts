import type { Command } from "../command.ts";
import { nearestName } from "../../../server/src/core/nearest.ts";
import { usageError } from "../exit.ts";
import { print } from "../output.ts";

/** Each asks the command itself, so that it knows all operations and options. */
const scripts: Record<string, string> = {
  bash: `_hub() {
  mapfile -t COMPREPLY < <(hub __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _hub hub`,
  zsh: `#compdef hub
_hub() {
  local -a found
  found=("\${(@f)$(hub __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _hub hub`,
  fish: `function __hub_complete
  set -l words (commandline -opc)
  hub __complete $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c hub -f -a '(__hub_complete)'`,
};

export const completion: Command = {
  summary: "Print the completion script of a shell",
  usage: "bash|zsh|fish",
  args: { min: 1, max: 1 },
  options: {},
  details: `  source <(hub completion bash)        in ~/.bashrc
  source <(hub completion zsh)         in ~/.zshrc, after compinit
  hub completion fish | source         in ~/.config/fish/config.fish`,
  async run({ args: [shell = ""] }) {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (script === undefined) {
      const meant = nearestName(shell, Object.keys(scripts));
      const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
      throw usageError(`there is no script for "${shell}", only for ${Object.keys(scripts).join(", ")}.${hint}`);
    }
    await print(script);
    return undefined;
  },
};
