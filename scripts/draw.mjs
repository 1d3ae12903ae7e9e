/** A chart as an SVG, laid out by elkjs. States carry `data-state`, edges `data-from` and `data-event`, for the live page. */
import ELK from 'elkjs/lib/elk.bundled.js';

const FONT = 12;
const SMALL = 10.5;
const CHAR = 0.605;
const widthOf = (text, size) => Math.ceil(text.length * size * CHAR);
const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const LAYOUT = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.spacing.nodeNode': '30',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.edgeLabels.inline': 'false',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
};

/** One line a trigger: an edge between the same two states is drawn once, with all its triggers. */
function arrows(chart) {
  const merged = new Map();
  for (const { from, to, event, guard } of chart.edges) {
    for (const target of to) {
      const key = `${from} ${target}`;
      const found = merged.get(key) ?? { from, to: target, events: [], texts: [] };
      const text = guard ? `${event} [${guard}]` : event;
      found.events.push(event);
      if (!found.texts.includes(text)) found.texts.push(text);
      merged.set(key, found);
    }
  }
  return [...merged.values()];
}

function nodeOf(chart, state) {
  const children = chart.states.filter(({ parent }) => parent === state.id).map((child) => nodeOf(chart, child));
  const title = widthOf(state.key, FONT) + 28;
  if (children.length === 0) return { id: state.id, width: Math.max(84, title), height: 34 };
  return {
    id: state.id,
    children,
    layoutOptions: {
      ...LAYOUT,
      'elk.padding': '[top=38,left=18,bottom=18,right=18]',
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${title},60)`,
    },
  };
}

const STYLE = `
  svg { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: ${FONT}px; }
  .state > rect { fill: #fff; stroke: #8a94a6; stroke-width: 1.2; }
  .compound > rect { fill: #f6f7f9; }
  .parallel > rect { stroke-dasharray: 5 4; }
  .final > rect { stroke-width: 3; stroke-opacity: .55; }
  .initial > rect { stroke: #1f6feb; stroke-width: 1.8; }
  text { fill: #1d2433; }
  .edge path { fill: none; stroke: #9aa4b5; stroke-width: 1.1; }
  .edge text { fill: #5a6577; font-size: ${SMALL}px; }
  .edge polygon { fill: #9aa4b5; }
  .state.active > rect { fill: #d6f5dd; stroke: #1a7f37; stroke-width: 2; }
  .edge.last path { stroke: #d4690b; stroke-width: 2.2; }
  .edge.last text, .edge.last polygon { fill: #d4690b; }
  @media (prefers-color-scheme: dark) {
    .state > rect { fill: #161b22; stroke: #5b6675; }
    .compound > rect { fill: #10151c; }
    .initial > rect { stroke: #58a6ff; }
    text { fill: #e6edf3; }
    .edge path { stroke: #545f6e; }
    .edge text { fill: #94a0b0; }
    .edge polygon { fill: #545f6e; }
    .state.active > rect { fill: #12351d; stroke: #3fb950; }
    .edge.last path { stroke: #f0883e; }
    .edge.last text, .edge.last polygon { fill: #f0883e; }
  }`;

function head(from, to) {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const at = (a, r) => `${(to.x - r * Math.cos(angle + a)).toFixed(1)},${(to.y - r * Math.sin(angle + a)).toFixed(1)}`;
  return `<polygon points="${to.x.toFixed(1)},${to.y.toFixed(1)} ${at(0.42, 8)} ${at(-0.42, 8)}"/>`;
}

/** @returns {Promise<string>} */
export async function draw(chart) {
  const [root] = chart.states;
  const top = nodeOf(chart, root);
  const graph = await new ELK().layout({
    id: `${chart.id} picture`,
    layoutOptions: { ...LAYOUT, 'elk.padding': '[top=12,left=12,bottom=12,right=12]' },
    children: top.children,
    edges: arrows(chart).map((arrow, at) => ({
      id: `e${at}`,
      sources: [arrow.from],
      targets: [arrow.to],
      labels: [
        {
          text: arrow.texts.join('\n'),
          width: Math.max(...arrow.texts.map((text) => widthOf(text, SMALL))) + 6,
          height: arrow.texts.length * (SMALL + 3),
        },
      ],
      arrow,
    })),
  });
  const byId = new Map(chart.states.map((state) => [state.id, state]));
  const out = [];
  const box = (node) => {
    const state = byId.get(node.id);
    const leaf = !node.children || node.children.length === 0;
    const classes = ['state', state.type, ...(state.initial ? ['initial'] : [])].join(' ');
    const x = leaf ? node.x + node.width / 2 : node.x + 12;
    const y = leaf ? node.y + node.height / 2 + 4 : node.y + 20;
    out.push(
      `<g class="${classes}" data-state="${escape(node.id)}">` +
        `<title>${escape(state.description || state.key)}</title>` +
        `<rect x="${node.x.toFixed(1)}" y="${node.y.toFixed(1)}" width="${node.width.toFixed(1)}" height="${node.height.toFixed(1)}" rx="${leaf ? 9 : 12}"/>` +
        `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${leaf ? ' text-anchor="middle"' : ' font-weight="600"'}>${escape(state.key)}</text></g>`,
    );
    for (const child of node.children ?? []) box(child);
  };
  for (const node of graph.children ?? []) box(node);
  for (const edge of graph.edges ?? []) {
    const [section] = edge.sections ?? [];
    if (!section) continue;
    const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    const path = points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
    const [label] = edge.labels ?? [];
    const lines = (label?.text ?? '').split('\n');
    const text = lines
      .map(
        (line, at) =>
          `<text x="${(label.x + 3).toFixed(1)}" y="${(label.y + (at + 1) * (SMALL + 2.4) - 2).toFixed(1)}">${escape(line)}</text>`,
      )
      .join('');
    out.push(
      `<g class="edge" data-from="${escape(edge.arrow.from)}" data-to="${escape(edge.arrow.to)}" data-event="${escape(edge.arrow.events.join(' '))}">` +
        `<path d="${path}"/>${head(points.at(-2), points.at(-1))}${text}</g>`,
    );
  }
  const [width, height] = [graph.width, graph.height].map((n) => Math.ceil(n));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="The ${chart.id} chart" data-chart="${chart.id}">\n` +
    `<style>${STYLE}\n</style>\n${out.join('\n')}\n</svg>\n`
  );
}
