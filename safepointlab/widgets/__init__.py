"""What a page's reader answers and touches: predictions, exercises, panels, Java cells, the workbench.

Which questions and exercises there are, and what is right, is in the lessons' folders (`course/`).
"""
