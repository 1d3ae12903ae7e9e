/** CPU of a small update by driver, as bars: an SVG of its own, readable on a light and a dark page. */
import { written } from './numbers.mjs';

const WIDTH = 720;
const LEFT = 170;
const RIGHT = 150;
const TOP = 44;
const ROW = 30;
const BAR = 18;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** `bars`: `{ name, value, ours }`, the first being what the others are set against. */
export function bars(title, unit, list) {
  const most = Math.max(...list.map(({ value }) => value));
  const height = TOP + list.length * ROW + 12;
  const rows = list.map(({ name, value, ours }, at) => {
    const y = TOP + at * ROW;
    const width = Math.max(1, ((WIDTH - LEFT - RIGHT) * value) / most);
    const label = `${written(value)} ${unit}, ${(value / list[0].value).toFixed(2)} ×`;
    return [
      `<text x="${LEFT - 10}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${ours ? '#2f7d5b' : '#8a94a6'}"/>`,
      `<text x="${(LEFT + width + 8).toFixed(1)}" y="${y + 14}">${escaped(label)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
<text x="16" y="24" font-size="15" font-weight="bold">${escaped(title)}</text>
${rows.join('\n')}
</svg>
`;
}
