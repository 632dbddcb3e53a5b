/** The script of pages with charts: `<agon-chart low="1480" high="1560">` around a picture and a table of the figures. */
import { Chart } from "./chart/Chart.ts"

customElements.define("agon-chart", Chart)
