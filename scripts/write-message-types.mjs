// Writes the types of the messages with their literal texts, from which `tsc` reads the ICU arguments: TypeScript gives
// imported JSON only the type `string`. `export =`, because Node gives JSON one export, and Vite several. Each build and
// type check runs this.
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';

for (const file of globSync('messages/*.en.json')) {
  const typesFile = file.replace(/\.json$/, '.d.json.ts');
  const types = `declare const messages: ${readFileSync(file, 'utf8').trim()};\n\nexport = messages;\n`;
  if (!existsSync(typesFile) || readFileSync(typesFile, 'utf8') !== types) writeFileSync(typesFile, types);
}
