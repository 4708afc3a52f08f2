plant_names()
# a comment
