/** The little of the DOM that is needed. Text is only ever set as text: nothing that an agent says becomes markup. */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  for (const child of children) if (child !== undefined && child !== '') made.append(child);
  return made;
}

/**
 * @template {HTMLElement} [T=HTMLElement]
 * @param {string} id
 * @returns {T}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id}`);
  return /** @type {T} */ (found);
}

/** Sets text only where it differs, so that what is read aloud or selected stays put. @param {HTMLElement} node @param {string} text */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
