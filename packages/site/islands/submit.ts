/** The script of the page that submits: `<agon-submit game="snakes" season="spring" model="<id>" hasher="/assets/…">`. */
import { SubmitForm } from "./submit/SubmitForm.ts"

customElements.define("agon-submit", SubmitForm)
